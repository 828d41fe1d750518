#if canImport(XCTest)
    public import Rx
    import XCTest

    /// Fails the test unless the results and their ticks are equal. Errors are equal if their descriptions
    /// are.
    public func XCTAssertEqual<Element: Equatable & Sendable>(
        _ received: [Recorded<SingleEvent<Element>>], _ expected: [Recorded<SingleEvent<Element>>],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(
            received.map(ComparableEvent.init), expected.map(ComparableEvent.init), file: file, line: line)
    }

    /// Fails the test unless the results are equal. Errors are equal if their descriptions are.
    public func XCTAssertEqual<Element: Equatable & Sendable>(
        _ received: [SingleEvent<Element>], _ expected: [SingleEvent<Element>],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        XCTAssertEqual(
            received.map(ComparableEvent.init), expected.map(ComparableEvent.init), file: file, line: line)
    }

    /// Fails the test unless the stream sent exactly these values, at any ticks, and has not ended.
    public func XCTAssertRecordedElements<Element: Equatable & Sendable>(
        _ received: [Recorded<Event<Element>>], _ expected: [Element],
        file: StaticString = #filePath, line: UInt = #line
    ) {
        if let end = received.first(where: { $0.value.isStopEvent }) {
            XCTFail("the stream ended: \(end)", file: file, line: line)
        }
        XCTAssertEqual(received.compactMap(\.value.element), expected, file: file, line: line)
    }

    private struct ComparableEvent<Element: Equatable & Sendable>: Equatable, CustomStringConvertible {
        let time: TestTime?
        let event: Event<Element>

        init(_ event: SingleEvent<Element>) {
            time = nil
            self.event = ComparableEvent.event(event)
        }

        init(_ recorded: Recorded<SingleEvent<Element>>) {
            time = recorded.time
            event = ComparableEvent.event(recorded.value)
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
