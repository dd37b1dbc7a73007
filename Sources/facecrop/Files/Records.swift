// All files of the command use the records, which are as much its own as the server's.
@_exported public import FaceCropRecords
