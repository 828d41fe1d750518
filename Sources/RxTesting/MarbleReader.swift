import Rx

struct MarbleReader {
    private let text: String
    private let characters: [Character]
    private var position = 0
    private var frame = 0
    private var groupStart: Int?
    private var events: [Recorded<Event<String>>] = []

    init(_ text: String) {
        self.text = text
        characters = Array(text)
    }

    /// Whether a value of this one character needs braces.
    static func isNotation(_ character: Character) -> Bool {
        "-|#(){}<>^!\\".contains(character) || character.isWhitespace
    }

    mutating func read() throws(MarbleSyntaxError) -> [Recorded<Event<String>>] {
        while position < characters.count {
            let start = position
            let character = characters[position]
            position += 1
            switch character {
            case _ where character.isWhitespace: break
            case "-": try pass(1, at: start)
            case "<": try pass(frames(from: start), at: start)
            case "(": try openGroup(at: start)
            case ")": try closeGroup(at: start)
            case "|": try add(.completed, at: start)
            case "#": try add(.error(failure()), at: start)
            case "{": try add(.next(braced(from: start)), at: start)
            case _ where MarbleReader.isNotation(character): throw error("unexpected \(character)", at: start)
            default: try add(.next(String(character)), at: start)
            }
        }
        if let groupStart { throw error("( without )", at: groupStart) }
        return events
    }

    private mutating func pass(_ frames: Int, at start: Int) throws(MarbleSyntaxError) {
        if groupStart != nil { throw error("no time can pass inside a group", at: start) }
        frame += frames
    }

    private mutating func openGroup(at start: Int) throws(MarbleSyntaxError) {
        if groupStart != nil { throw error("( inside a group", at: start) }
        groupStart = start
    }

    private mutating func closeGroup(at start: Int) throws(MarbleSyntaxError) {
        guard groupStart != nil else { throw error(") without (", at: start) }
        groupStart = nil
        frame += 1
    }

    private mutating func add(_ event: Event<String>, at start: Int) throws(MarbleSyntaxError) {
        if events.last?.value.isStopEvent == true { throw error("an event after the end", at: start) }
        events.append(Recorded(time: frame, value: event))
        if groupStart == nil { frame += 1 }
    }

    private mutating func failure() throws(MarbleSyntaxError) -> TestError {
        guard position < characters.count, characters[position] == "{" else { return TestError() }
        position += 1
        return TestError(try braced(from: position - 1))
    }

    /// Reads up to `}`. The `{` is at `start`.
    private mutating func braced(from start: Int) throws(MarbleSyntaxError) -> String {
        var name = ""
        while position < characters.count {
            var character = characters[position]
            position += 1
            if character == "}" { return name }
            if character == "\\", position < characters.count {
                character = characters[position]
                position += 1
            }
            name.append(character)
        }
        throw error("{ without }", at: start)
    }

    /// Reads up to `>`. The `<` is at `start`.
    private mutating func frames(from start: Int) throws(MarbleSyntaxError) -> Int {
        var digits = ""
        while position < characters.count {
            let character = characters[position]
            position += 1
            if character == ">" {
                guard let frames = Int(digits), (1...1_000_000_000).contains(frames) else { break }
                return frames
            }
            digits.append(character)
        }
        throw error("< must be followed by a number of frames from 1 to 1000000000 and >", at: start)
    }

    private func error(_ reason: String, at position: Int) -> MarbleSyntaxError {
        MarbleSyntaxError(text: text, position: position, reason: reason)
    }
}
