// A file with old spellings imports only this module.
@_exported public import Rx
