import CYAML

/// The parts of a YAML text, in its order.
enum YAMLEvent {
    case documentStart
    case scalar(text: String, isPlain: Bool)
    case listStart
    case mapStart(isFlow: Bool)
    /// The end of a list or a mapping.
    case end
    case alias(String)
    /// An event without meaning here.
    case other
    case streamEnd
}

/// A place in a text, counted by libyaml from 0.
struct YAMLMark: Equatable {
    let line: Int
    /// In characters.
    let column: Int
    /// In characters from the start of the text.
    let index: Int

    fileprivate init(_ mark: yaml_mark_t) {
        line = mark.line
        column = mark.column
        index = mark.index
    }
}

/// An error of libyaml's. Nothing can be read after it.
struct YAMLSyntaxError: Error {
    /// libyaml's text: "did not find expected key".
    let problem: String
    /// What libyaml reads: "while parsing a block mapping".
    let context: String?
    let contextMark: YAMLMark
    let mark: YAMLMark
    /// Where the bytes cannot be decoded, counted in bytes; nil for an error of the syntax.
    let byteOffset: Int?
}

/// Reads a YAML text event by event with libyaml, which holds no more than the current event.
struct YAMLParser: ~Copyable {
    // libyaml stores the parser's address in it, so it stays in one place. Both are allocated here and freed
    // in `deinit`.
    private let parser: UnsafeMutablePointer<yaml_parser_t>
    private let event: UnsafeMutablePointer<yaml_event_t>

    /// The place of the last event.
    private(set) var start: YAMLMark
    private(set) var end: YAMLMark
    private(set) var anchor: String?
    private(set) var hasTag = false

    /// - Parameter text: UTF-8 without a byte order mark, valid for the parser's life.
    init(_ text: UnsafeBufferPointer<UInt8>) {
        parser = .allocate(capacity: 1)
        event = .allocate(capacity: 1)
        event.initialize(to: yaml_event_t())
        let isReady = yaml_parser_initialize(parser)
        precondition(isReady == 1, "libyaml is out of memory")
        yaml_parser_set_encoding(parser, YAML_UTF8_ENCODING)
        yaml_parser_set_input_string(parser, text.baseAddress, text.count)
        start = YAMLMark(yaml_mark_t())
        end = start
    }

    deinit {
        yaml_parser_delete(parser)
        parser.deallocate()
        event.deallocate()
    }

    mutating func next() throws(YAMLSyntaxError) -> YAMLEvent {
        guard yaml_parser_parse(parser, event) == 1 else { throw error() }
        defer { yaml_event_delete(event) }
        start = YAMLMark(event.pointee.start_mark)
        end = YAMLMark(event.pointee.end_mark)
        anchor = nil
        hasTag = false
        switch event.pointee.type {
        case YAML_SCALAR_EVENT:
            let scalar = event.pointee.data.scalar
            note(scalar.anchor, scalar.tag)
            let bytes = UnsafeBufferPointer(start: scalar.value, count: scalar.length)
            return .scalar(
                text: String(decoding: bytes, as: UTF8.self), isPlain: scalar.style == YAML_PLAIN_SCALAR_STYLE
            )
        case YAML_MAPPING_START_EVENT:
            let map = event.pointee.data.mapping_start
            note(map.anchor, map.tag)
            return .mapStart(isFlow: map.style == YAML_FLOW_MAPPING_STYLE)
        case YAML_SEQUENCE_START_EVENT:
            let list = event.pointee.data.sequence_start
            note(list.anchor, list.tag)
            return .listStart
        case YAML_MAPPING_END_EVENT, YAML_SEQUENCE_END_EVENT: return .end
        case YAML_ALIAS_EVENT: return .alias(Self.text(event.pointee.data.alias.anchor) ?? "")
        case YAML_DOCUMENT_START_EVENT: return .documentStart
        // After the end libyaml gives events without a type.
        case YAML_STREAM_END_EVENT, YAML_NO_EVENT: return .streamEnd
        default: return .other
        }
    }

    private mutating func note(_ anchor: UnsafeMutablePointer<UInt8>?, _ tag: UnsafeMutablePointer<UInt8>?) {
        self.anchor = Self.text(anchor)
        hasTag = tag != nil
    }

    private func error() -> YAMLSyntaxError {
        let failed = parser.pointee
        return YAMLSyntaxError(
            problem: failed.problem.map { String(cString: $0) } ?? "the text is not YAML",
            context: failed.context.map { String(cString: $0) }, contextMark: YAMLMark(failed.context_mark),
            mark: YAMLMark(failed.problem_mark),
            byteOffset: failed.error == YAML_READER_ERROR ? failed.problem_offset : nil)
    }

    private static func text(_ start: UnsafeMutablePointer<UInt8>?) -> String? {
        start.map { String(cString: $0) }
    }
}
