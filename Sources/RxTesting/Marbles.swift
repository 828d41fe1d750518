public import Rx

/// Streams as text. Every character is a frame, which is one tick of the `TestScheduler`:
///
///     -        nothing happens
///     a        the value a
///     {ten}    the value ten; inside the braces `\` escapes the next character
///     |        the completion
///     #        an error, `TestError()`; #{name}: `TestError("name")`
///     (ab|)    several events in one frame
///     <500>    nothing happens for 500 frames
///
/// White space is ignored, so it can align lines. A subscription starts in the frame `^` and ends in the
/// frame `!`.
public enum Marbles {
    /// Parses marbles into events. The first character is frame 0.
    ///
    /// - Throws: ``MarbleSyntaxError`` if `text` is malformed.
    public static func events(_ text: String) throws(MarbleSyntaxError) -> [Recorded<Event<String>>] {
        var reader = MarbleReader(text)
        return try reader.read()
    }

    /// Parses marbles into events and replaces each name by its value in `values`.
    ///
    /// - Throws: ``MarbleSyntaxError`` if `text` is malformed or has a name that `values` lacks.
    public static func events<Element>(
        _ text: String, values: [String: Element]
    ) throws(MarbleSyntaxError) -> [Recorded<Event<Element>>] {
        var translated: [Recorded<Event<Element>>] = []
        for recorded in try events(text) {
            switch recorded.value {
            case .next(let name):
                guard let value = values[name] else {
                    throw MarbleSyntaxError(
                        text: text, position: nil, reason: "no value for \(name)")
                }
                translated.append(.next(recorded.time, value))
            case .error(let error): translated.append(.error(recorded.time, error))
            case .completed: translated.append(.completed(recorded.time))
            }
        }
        return translated
    }

    /// Returns the marbles of `events`, with values written as their descriptions. The tick `start` is
    /// frame 0.
    public static func text<Element>(
        _ events: [Recorded<Event<Element>>], from start: TestTime = 0
    ) -> String {
        text(frames: frames(events, from: start).map { (frame: $0.frame, text: $0.text) })
    }

    /// Returns the text of each frame that has events.
    static func frames<Element>(
        _ events: [Recorded<Event<Element>>], from start: TestTime
    ) -> [(frame: Int, text: String)] {
        var frames: [(frame: Int, marbles: [String])] = []
        for recorded in events {
            let frame = recorded.time - start
            if frames.last?.frame != frame { frames.append((frame, [])) }
            frames[frames.count - 1].marbles.append(marble(recorded.value))
        }
        return frames.map { frame, marbles in
            (frame, marbles.count == 1 ? marbles[0] : "(\(marbles.joined()))")
        }
    }

    /// Returns the marbles of a subscription: `^---!`.
    public static func text(_ subscription: Subscription, from start: TestTime = 0) -> String {
        let first = subscription.subscribe - start
        guard subscription.unsubscribe != .max else { return text(frames: [(first, "^")]) }
        let last = subscription.unsubscribe - start
        return text(frames: first == last ? [(first, "(^!)")] : [(first, "^"), (last, "!")])
    }

    private static func marble<Element>(_ event: Event<Element>) -> String {
        switch event {
        case .next(let value): token("\(value)")
        case .error(let error as TestError) where error == TestError(): "#"
        case .error(let error): "#" + braced("\(error)")
        case .completed: "|"
        }
    }

    private static func token(_ text: String) -> String {
        text.count == 1 && !text.contains(where: MarbleReader.isNotation) ? text : braced(text)
    }

    private static func braced(_ text: String) -> String {
        "{" + text.flatMap { $0 == "}" || $0 == "\\" ? ["\\", $0] : [$0] } + "}"
    }

    private static func text(frames: [(frame: Int, text: String)]) -> String {
        var text = ""
        var next = 0
        for (frame, marbles) in frames {
            text += gap(frame - next) + marbles
            next = frame + 1
        }
        return text
    }

    /// Writes more than 60 empty frames as a number.
    static func gap(_ frames: Int) -> String {
        frames > 60 ? "<\(frames)>" : String(repeating: "-", count: max(0, frames))
    }
}

/// Why marbles cannot be read.
public struct MarbleSyntaxError: Error, CustomStringConvertible, Sendable {
    /// The text of the marbles.
    public let text: String
    /// The index of the offending character; `nil` if the error is not about one character.
    public let position: Int?
    /// What is wrong.
    public let reason: String

    /// What is wrong, in words.
    public var description: String {
        guard let position else { return "marbles \"\(text)\": \(reason)" }
        return "marbles \"\(text)\", character \(position): \(reason)"
    }
}
