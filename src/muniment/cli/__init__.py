"""The command line: one file per group of commands; prints results, decides nothing."""
