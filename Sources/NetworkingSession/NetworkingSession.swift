// A client imports this one module, and gets all the names that its calls are written with.

@_exported public import HTTPModel
@_exported public import JSONBytes
@_exported public import Networking
@_exported public import Rx
