// The one import for programs written for another client: all that they need to make calls, with the names
// and errors that they expect.

@_exported public import JSONCoding
@_exported public import NetworkingSession
