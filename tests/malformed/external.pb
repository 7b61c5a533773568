Btj
locationexternal-16.binp