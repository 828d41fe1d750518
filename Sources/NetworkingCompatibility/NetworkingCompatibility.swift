// What a program imports that was written for another client: Networking, with the names and errors that such
// code expects.

@_exported public import Networking
