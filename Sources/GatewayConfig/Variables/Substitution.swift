/// A text of a file with variables in it.
final class Substitution: Sendable {
    enum Piece: Sendable, Equatable {
        /// Text of the file, in which references may stand.
        case written(String)
        /// Text that is taken as it is: the value of a variable, or the `${` for which `$${` stands.
        case literal(String)
        /// The value of a variable that is not read.
        case unknown
    }

    /// The text as the file has it.
    let written: String
    let pieces: [Piece]
    let isUnknown: Bool
    /// Whether a variable is in it.
    let hasVariable: Bool

    init(written: String, pieces: [Piece], hasVariable: Bool) {
        self.written = written
        self.pieces = pieces
        self.hasVariable = hasVariable
        isUnknown = pieces.contains(.unknown)
    }

    /// The text with its values; an unknown value is left out.
    var text: String {
        pieces.reduce(into: "") { text, piece in
            switch piece {
            case .written(let piece), .literal(let piece): text += piece
            case .unknown: break
            }
        }
    }
}
