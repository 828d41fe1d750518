// A client needs only this import for all names in its calls.

@_exported public import HTTPModel
@_exported public import JSONBytes
@_exported public import Networking
@_exported public import Rx
