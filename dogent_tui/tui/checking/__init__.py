"""`/check`: the quotes of a draft compared with the files of the folder, finding by finding."""
