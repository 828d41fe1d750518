import ASCIIText
import EndpointPlans

/// A variable in a text: what stands between `${` and `}`.
enum VariableExpression: Equatable {
    /// `${NAME}` and `${NAME:-default}`.
    case variable(String, default: String?)
    /// `${file:/run/secrets/key}`.
    case file(String)

    struct Fault: Error, Equatable {
        let message: String
    }

    init(_ text: String) throws(Fault) {
        let bytes = text.utf8
        if bytes.starts(with: "file:".utf8) {
            let path = String(Substring(bytes.dropFirst(5)))
            guard path.utf8.first == Byte.slash, !path.utf8.contains(0) else {
                throw Fault(message: "${\(Shown.text(text))}: the path of a file begins with a slash")
            }
            self = .file(path)
            return
        }
        let colon = bytes.firstIndex(of: Byte.colon) ?? text.endIndex
        let name = text[..<colon]
        guard Self.isName(name) else {
            let isReference = ReferenceRoot.isNamed(in: name)
            throw Fault(
                message: "${\(Shown.text(text))} is not a variable"
                    + (isReference
                        ? "; a reference has no dollar sign, and $${ is the text ${"
                        : "; write ${NAME}, ${NAME:-default} or ${file:/path}, and $${ for the text ${"))
        }
        guard colon < text.endIndex else {
            self = .variable(String(name), default: nil)
            return
        }
        let rest = bytes[colon...]
        guard rest.starts(with: ":-".utf8) else {
            throw Fault(message: "${\(Shown.text(text))}: a default follows :-, as in ${\(name):-default}")
        }
        self = .variable(String(name), default: String(Substring(rest.dropFirst(2))))
    }

    private static func isName(_ text: Substring) -> Bool {
        guard let first = text.utf8.first, !ASCII.isDigit(first) else { return false }
        return text.utf8.allSatisfy { ASCII.isLetter($0) || ASCII.isDigit($0) || $0 == UInt8(ascii: "_") }
    }
}
