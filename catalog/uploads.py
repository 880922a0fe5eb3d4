"""Stops an upload that is larger than any file we read, before it fills a disk."""

from django.core.files.uploadhandler import FileUploadHandler, SkipFile

from catalog.importers.sheet import MAX_BYTES

OF_THE_FORM = 1_000_000  # bytes of everything beside the files


class Limited(FileUploadHandler):
    """Stands before Django's own handlers; the fields of the form are read all the same, its files are not."""

    too_large = False

    def handle_raw_input(self, input_data, META, content_length, boundary, encoding=None):
        self.too_large = content_length > MAX_BYTES + OF_THE_FORM
        if self.too_large and self.request is not None:
            self.request.upload_bytes = content_length

    def new_file(self, *args, **kwargs):
        if self.too_large:
            raise SkipFile

    def receive_data_chunk(self, raw_data, start):
        return raw_data

    def file_complete(self, file_size):
        return None
