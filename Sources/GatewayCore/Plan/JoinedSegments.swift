import ASCIIText
import EndpointPlans
import HTTPModel

/// Segments of a path in which a value stands next to another one, or to constant text. Values that are
/// allowed one by one may not be allowed together: `%2` and `F` are an encoded slash for a server that
/// decodes twice.
enum JoinedSegments {
    static func exist(in path: [CallTemplate.Piece]) -> Bool {
        zip(path, path.dropFirst()).contains { left, right in
            switch (left, right) {
            case (.bytes(let constant), .segment): constant.last != Byte.slash
            case (.segment, .bytes(let constant)):
                constant.first != Byte.slash && constant.first != Byte.questionMark
            case (.segment, .segment): true
            case (.bytes, .bytes): false
            }
        }
    }

    /// - Parameter text: returns a value.
    static func areAllowed(
        in path: [CallTemplate.Piece], _ text: (BoundReference) throws(PlannedFailure) -> String
    ) throws(PlannedFailure) -> Bool {
        var segments: [[UInt8]] = [[]]
        for piece in path {
            switch piece {
            case .segment(let reference): segments[segments.count - 1] += try text(reference).utf8
            case .bytes(let constant):
                let parts = constant.split(separator: Byte.slash, omittingEmptySubsequences: false)
                for (index, part) in parts.enumerated() {
                    if index > 0 { segments.append([]) }
                    segments[segments.count - 1] += withoutEscapes(part)
                }
            }
        }
        return segments.allSatisfy { segment in
            !segment.contains(Byte.percent) || (try? PercentEncoding.checkSegment(segment)) != nil
        }
    }

    /// Returns constant text with another character for each escape: what the configuration encodes is meant
    /// so.
    private static func withoutEscapes(_ constant: ArraySlice<UInt8>) -> [UInt8] {
        var text: [UInt8] = []
        var rest = constant
        while let byte = rest.popFirst() {
            if byte == Byte.percent { rest = rest.dropFirst(2) }
            text.append(byte == Byte.percent ? UInt8(ascii: "x") : byte)
        }
        return text
    }
}
