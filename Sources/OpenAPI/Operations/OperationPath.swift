import ASCIIText
import HTTPModel

/// A path of a description: `/files/{name}.{type}`, as segments of literals and parameters.
package struct OperationPath: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        case literal([UInt8])
        case parameter(String)
    }

    /// How specific a segment is. A literal precedes others.
    enum Rank: Int, Comparable {
        case literal, mixed, parameter

        static func < (left: Rank, right: Rank) -> Bool { left.rawValue < right.rawValue }
    }

    package let text: String
    let segments: [[Piece]]

    /// Returns nil if the text does not begin with a slash, or has an unbalanced brace.
    init?(_ text: String) {
        guard text.utf8.first == Byte.slash else { return nil }
        self.text = text
        var segments: [[Piece]] = []
        for part in text.utf8.dropFirst().split(separator: Byte.slash, omittingEmptySubsequences: false) {
            guard let pieces = Self.pieces(Array(part)[...]) else { return nil }
            segments.append(pieces)
        }
        self.segments = segments
    }

    private static func pieces(_ segment: ArraySlice<UInt8>) -> [Piece]? {
        var pieces: [Piece] = []
        var rest = segment
        while let open = rest.firstIndex(of: Byte.openBrace) {
            guard let close = rest[open...].firstIndex(of: Byte.closeBrace) else { return nil }
            if open > rest.startIndex { pieces.append(literal(rest[..<open])) }
            pieces.append(.parameter(String(decoding: rest[rest.index(after: open)..<close], as: UTF8.self)))
            rest = rest[rest.index(after: close)...]
        }
        guard !rest.contains(Byte.closeBrace) else { return nil }
        if !rest.isEmpty || pieces.isEmpty { pieces.append(literal(rest)) }
        return pieces
    }

    private static func literal(_ bytes: ArraySlice<UInt8>) -> Piece {
        .literal((try? PercentEncoding.decode(bytes)) ?? Array(bytes))
    }

    /// The names of its parameters.
    package var parameters: [String] {
        segments.joined().compactMap { if case .parameter(let name) = $0 { name } else { nil } }
    }

    /// The path with parameters of one name, so that equal shapes have equal texts.
    package var shape: String {
        let parts = segments.map { pieces in
            pieces.map { piece in
                switch piece {
                case .literal(let bytes): String(decoding: bytes, as: UTF8.self)
                case .parameter: "{}"
                }
            }.joined()
        }
        return "/" + parts.joined(separator: "/")
    }

    var ranks: [Rank] { segments.map(Self.rank) }

    static func rank(_ pieces: [Piece]) -> Rank {
        guard pieces.count == 1 else { return .mixed }
        if case .literal = pieces[0] { return .literal }
        return .parameter
    }

    /// Returns the values of the parameters, percent-encoded as they are; nil for another path.
    ///
    /// - Parameter path: the segments of a path, percent-encoded.
    func values(in path: some Collection<ArraySlice<UInt8>>) -> [(name: String, value: ArraySlice<UInt8>)]? {
        guard path.count == segments.count else { return nil }
        var values: [(name: String, value: ArraySlice<UInt8>)] = []
        for (pieces, segment) in zip(segments, path) {
            guard Self.match(pieces, segment, { values.append(($0, $1)) }) else { return nil }
        }
        return values
    }

    /// Matches the pieces of a segment. A parameter takes at least one byte, and no more than it must.
    static func match(
        _ pieces: [Piece], _ segment: ArraySlice<UInt8>, _ found: (String, ArraySlice<UInt8>) -> Void
    ) -> Bool {
        if pieces.count == 1, case .literal(let text) = pieces[0] {
            if segment.elementsEqual(text) { return true }
            return segment.contains(Byte.percent) && (try? PercentEncoding.decode(segment)) == text
        }
        var rest = segment
        var waiting: String?
        for (index, piece) in pieces.enumerated() {
            switch piece {
            case .parameter(let name):
                // Of two parameters without a literal between them the first takes one byte.
                if let waiting {
                    guard let first = rest.first, rest.count > 1 else { return false }
                    _ = first
                    found(waiting, rest.prefix(1))
                    rest = rest.dropFirst()
                }
                waiting = name
            case .literal(let text):
                guard let name = waiting else {
                    guard rest.starts(with: text) else { return false }
                    rest = rest.dropFirst(text.count)
                    continue
                }
                let isLast = index == pieces.count - 1
                guard let start = isLast ? lastStart(of: text, in: rest) : firstStart(of: text, in: rest)
                else {
                    return false
                }
                found(name, rest[..<start])
                rest = rest[(start + text.count)...]
                waiting = nil
            }
        }
        guard let waiting else { return rest.isEmpty }
        found(waiting, rest)
        return !rest.isEmpty
    }

    /// Where a literal begins that follows at least one byte.
    private static func firstStart(of text: [UInt8], in rest: ArraySlice<UInt8>) -> Int? {
        guard rest.count > text.count else { return nil }
        return (rest.startIndex + 1...rest.endIndex - text.count).first { rest[$0...].starts(with: text) }
    }

    private static func lastStart(of text: [UInt8], in rest: ArraySlice<UInt8>) -> Int? {
        guard rest.count > text.count, rest.suffix(text.count).elementsEqual(text) else { return nil }
        return rest.endIndex - text.count
    }
}

/// The path of a call: `/orders/{}`, as segments of texts, and of values that are known only later.
package struct CallPath: Sendable, Hashable {
    enum Piece: Sendable, Hashable {
        /// Decoded.
        case text([UInt8])
        case value
    }

    let segments: [[Piece]]

    /// Reads a path, in which each pair of braces is a value: `/orders/{path.id}`.
    package init(_ text: String) {
        let trimmed = text.utf8.first == Byte.slash ? text.utf8.dropFirst() : text.utf8[...]
        var segments: [[Piece]] = [[]]
        var literal: [UInt8] = []
        var isValue = false
        func close(_ segments: inout [[Piece]], _ literal: inout [UInt8]) {
            guard !literal.isEmpty else { return }
            segments[segments.count - 1].append(.text((try? PercentEncoding.decode(literal)) ?? literal))
            literal = []
        }
        for byte in trimmed {
            switch byte {
            case Byte.openBrace where !isValue:
                close(&segments, &literal)
                isValue = true
            case Byte.closeBrace where isValue:
                segments[segments.count - 1].append(.value)
                isValue = false
            case _ where isValue: break
            case Byte.slash:
                close(&segments, &literal)
                segments.append([])
            default: literal.append(byte)
            }
        }
        close(&segments, &literal)
        self.segments = segments
    }

    init(segments: [[Piece]]) { self.segments = segments }

    /// The path with `{}` for values.
    package var text: String {
        let parts = segments.map { pieces in
            pieces.map { piece in
                switch piece {
                case .text(let bytes): String(decoding: bytes, as: UTF8.self)
                case .value: "{}"
                }
            }.joined()
        }
        return "/" + parts.joined(separator: "/")
    }

    /// The path without its first segments, if they are the segments of another path.
    func dropping(_ prefix: CallPath) -> CallPath? {
        let count = prefix.count
        guard segments.count >= count, segments.prefix(count) == prefix.segments.prefix(count) else {
            return nil
        }
        return CallPath(segments: segments.count == count ? [[]] : Array(segments.dropFirst(count)))
    }

    /// The segments; none of the path `/`.
    var count: Int { segments == [[]] ? 0 : segments.count }

    func following(_ prefix: CallPath) -> CallPath {
        guard prefix.count > 0 else { return self }
        let trimmed = prefix.segments.last == [] ? Array(prefix.segments.dropLast()) : prefix.segments
        return CallPath(segments: trimmed + segments)
    }

    /// Whether some values make it a path of an operation.
    func mayMatch(_ path: OperationPath) -> Bool {
        segments.count == path.segments.count
            && zip(segments, path.segments).allSatisfy { Self.mayMatch($0, $1) }
    }

    private static func mayMatch(_ call: [Piece], _ pieces: [OperationPath.Piece]) -> Bool {
        if call.isEmpty { return pieces == [.literal([])] }
        if call.count == 1, case .text(let text) = call[0] {
            return OperationPath.match(pieces, text[...]) { _, _ in }
        }
        let rank = OperationPath.rank(pieces)
        guard rank != .literal else { return false }
        guard rank == .mixed else { return true }
        return mayBegin(call.first, pieces.first) && mayEnd(call.last, pieces.last)
    }

    private static func mayBegin(_ call: Piece?, _ piece: OperationPath.Piece?) -> Bool {
        guard case .text(let text)? = call, case .literal(let literal)? = piece else { return true }
        return text.starts(with: literal) || literal.starts(with: text)
    }

    private static func mayEnd(_ call: Piece?, _ piece: OperationPath.Piece?) -> Bool {
        guard case .text(let text)? = call, case .literal(let literal)? = piece else { return true }
        return text.reversed().starts(with: literal.reversed())
            || literal.reversed().starts(with: text.reversed())
    }
}
