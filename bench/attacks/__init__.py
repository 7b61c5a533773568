"""The parts of bench/attack, a module each."""
