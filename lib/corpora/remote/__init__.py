"""Remote files: the folder that keeps them, the download, the archives."""
