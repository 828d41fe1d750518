/// Work that a loop runs at the end of a wake. Needs no closure, so it does not allocate.
public protocol DeferredWork: AnyObject {
    func runDeferred()
}
