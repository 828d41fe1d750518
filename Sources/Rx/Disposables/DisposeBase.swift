/// What the library's disposables have in common: they are counted in `Resources` where those are counted.
public class DisposeBase: @unchecked Sendable {
    // Sound: it holds nothing.
    init() {
        #if DEBUG || TRACE_RESOURCES
            Resources.incrementTotal()
        #endif
    }

    #if DEBUG || TRACE_RESOURCES
        deinit {
            Resources.decrementTotal()
        }
    #endif
}
