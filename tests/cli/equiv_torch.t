# What a library has for its own use is listed with the reason, and is not asked.
$ assay equiv -b torch --list | grep '^inductor\|^fsdp\|^_test' >inner; grep -c "::_alloc_from_pool .* - internal to torch.compile" inner; grep -vc " - " inner
? 1
1
0
