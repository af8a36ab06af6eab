"""Tables in and out: one reader of CSV and Parquet, one writer that never leaves half a file."""
