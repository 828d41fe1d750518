// The import for programs written for another client: Networking with the names and errors that they expect.

@_exported public import Networking
