// Sound: it adds only constants.
/// The base class of the library's disposables. Debug builds count them in `Resources`. A disposable that
/// owns others puts them on a `DisposalStack` in `stop(_:)`, and moves them out in `unlink(_:)`, so that
/// nested ones do not deepen the stack.
public class DisposeBase: Link, @unchecked Sendable {
    override final var isDisposedByStopping: Bool { true }
}
