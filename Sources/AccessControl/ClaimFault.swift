/// Why a claim cannot be sent to an upstream. The text shows nothing of the value.
public enum ClaimFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// An object, or a list with an element that is not text.
    case notText
    /// A control character, or an escape that stands for no character.
    case controlCharacter
    /// A space at the beginning or end, which the reader of a field would drop.
    case outerSpace
    /// An element of a list has a comma, so that it would be read as two.
    case commaInElement
    /// More than `Claims.maxTextLength` bytes.
    case tooLong

    /// What is wrong, in words.
    public var description: String {
        switch self {
        case .notText: "the claim is not text, a number, a boolean or a list of text"
        case .controlCharacter: "the claim has a control character"
        case .outerSpace: "the claim begins or ends with a space"
        case .commaInElement: "an element of the claim has a comma"
        case .tooLong: "the claim is longer than \(Claims.maxTextLength / 1024) KiB"
        }
    }
}
