// Whoever needs a peer also waits for it, and starts programs.
@_exported public import TestTools
@_exported public import TestWaiting
