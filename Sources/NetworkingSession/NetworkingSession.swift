// What a client written in Swift imports: one module, with the names that its calls are described in.

@_exported public import HTTPModel
@_exported public import JSONBytes
@_exported public import Networking
@_exported public import Rx
