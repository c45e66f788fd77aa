"""`/check`: what a draft quotes, held against the files of the folder, finding by finding."""
