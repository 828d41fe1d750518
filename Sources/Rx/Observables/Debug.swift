import FoundationEssentials

extension StreamType {
    /// Prints the subscription, each event and the disposal, with the time and `identifier`, by default the
    /// file, line and function of the call. `trimOutput` shortens events longer than 40 characters.
    public consuming func debug(
        _ identifier: String? = nil, trimOutput: Bool = false, file: String = #file, line: UInt = #line,
        function: String = #function
    ) -> DerivedStream {
        debug(
            identifier, trimOutput: trimOutput, file: file, line: line, function: function,
            write: { print($0) })
    }

    /// Writes the lines to `write` instead of standard output.
    package consuming func debug(
        _ identifier: String?, trimOutput: Bool, file: String, line: UInt, function: String,
        write: @escaping @Sendable (String) -> Void
    ) -> DerivedStream {
        let place = "\(file.split(separator: "/").last ?? ""):\(line) (\(function))"
        let writer = DebugWriter(name: identifier ?? place, isTrimmed: trimOutput, write: write)
        return Self.derived(from: Debug(asObservable(), writer))
    }
}

struct DebugWriter: Sendable {
    let name: String
    let isTrimmed: Bool
    let write: @Sendable (String) -> Void

    private static let time = Date.ISO8601FormatStyle(timeZone: .current)
        .year().month().day().dateTimeSeparator(.space).time(includingFractionalSeconds: true)

    func note(_ what: String) {
        write("\(Date().formatted(DebugWriter.time)): \(name) -> \(what)")
    }

    func note<Element>(_ event: Event<Element>) {
        let text = "\(event)"
        let isLong = isTrimmed && text.count > 40
        note("Event " + (isLong ? "\(text.prefix(20))...\(text.suffix(20))" : text))
    }
}

// Sound: it adds only constants.
final class Debug<Element: Sendable>: StatefulOperator<Element, Element>, @unchecked Sendable {
    private let writer: DebugWriter

    init(_ source: consuming Observable<Element>?, _ writer: DebugWriter) {
        self.writer = writer
        super.init(source)
    }

    override func copy() -> Operator<Element, Element> {
        Debug(nil, writer)
    }

    override consuming func begin(_ source: consuming Observable<Element>) {
        writer.note("subscribed")
        super.begin(source)
    }

    override func next(_ value: Element) {
        guard !upstream.isClosed else { return }
        writer.note(.next(value))
        down.next(value)
    }

    override func error(_ error: any Error) {
        guard upstream.end() else { return }
        writer.note(Event<Element>.error(error))
        down.error(error)
        stop()
    }

    override func completed() {
        guard upstream.end() else { return }
        writer.note(Event<Element>.completed)
        down.completed()
        stop()
    }

    override func stop(_ stops: inout DisposalStack) {
        guard let source = upstream.close() else { return }
        writer.note("isDisposed")
        source.stop(&stops)
    }
}
