// A file that uses old spellings imports this module alone.
@_exported public import Rx
