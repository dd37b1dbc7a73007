// All files of the server use the records, which are as much its own as the command's.
@_exported public import FaceCropRecords
