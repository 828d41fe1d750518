/// An error of the library itself.
public enum RxError: Error, CustomStringConvertible {
    /// An internal error, such as a subscription to an abstract observable.
    case unknown
    /// `object` was used after it was disposed.
    case disposed(object: any AnyObject & Sendable)
    /// An integer or a bounded queue would overflow.
    case overflow
    /// An index is outside of the stream.
    case argumentOutOfRange
    /// The stream completed without a value.
    case noElements
    /// The stream sent more than one value.
    case moreThanOneElement
    /// An event or the end did not come in time.
    case timeout

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .unknown: "Unknown error occurred."
        case .disposed(let object): "Object `\(object)` was already disposed."
        case .overflow: "Arithmetic overflow occurred."
        case .argumentOutOfRange: "Argument out of range."
        case .noElements: "Sequence doesn't contain any elements."
        case .moreThanOneElement: "Sequence contains more than one element."
        case .timeout: "Sequence timeout."
        }
    }
}

extension RxError: CustomDebugStringConvertible {
    /// The value as text, for debuggers.
    public var debugDescription: String { description }
}
