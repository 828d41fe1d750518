#if canImport(XCTest)
    public import Rx
    import XCTest

    // Generic `XCTAssertEqual` compares what is `Equatable`. The event of a single is a `Result`, which is not where its
    // error can be any: two errors are equal here where they read the same, as those of the other events.

    /// Fails the test unless the events are those, at those ticks.
    public func XCTAssertEqual<Element: Equatable & Sendable>(
        _ received: [Recorded<SingleEvent<Element>>], _ expected: [Recorded<SingleEvent<Element>>],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(received.map(Compared.init), expected.map(Compared.init), file: file, line: line)
    }

    /// Fails the test unless the events are those.
    public func XCTAssertEqual<Element: Equatable & Sendable>(
        _ received: [SingleEvent<Element>], _ expected: [SingleEvent<Element>],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(received.map(Compared.init), expected.map(Compared.init), file: file, line: line)
    }

    /// Fails the test unless a stream has sent these values and no end, whenever they came.
    public func XCTAssertRecordedElements<Element: Equatable & Sendable>(
        _ received: [Recorded<Event<Element>>], _ expected: [Element],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        if let end = received.first(where: { $0.value.isStopEvent }) {
            XCTFail("the stream ended: \(end)", file: file, line: line)
        }
        XCTAssertEqual(received.compactMap(\.value.element), expected, file: file, line: line)
    }

    /// What is compared of a single's event, and how it reads.
    private struct Compared<Element: Equatable & Sendable>: Equatable, CustomStringConvertible {
        let time: TestTime?
        let event: Event<Element>

        init(_ event: SingleEvent<Element>) {
            time = nil
            self.event = Compared.event(event)
        }

        init(_ recorded: Recorded<SingleEvent<Element>>) {
            time = recorded.time
            event = Compared.event(recorded.value)
        }

        private static func event(_ event: SingleEvent<Element>) -> Event<Element> {
            switch event {
            case .success(let value): .next(value)
            case .failure(let error): .error(error)
            }
        }

        var description: String {
            let text =
                switch event {
                case .next(let value): "success(\(value))"
                case .error(let error): "failure(\(error))"
                case .completed: "completed"
                }
            return time.map { "\(text) @ \($0)" } ?? text
        }
    }
#endif
