import Rx
import RxTesting
import XCTest

/// Tests written for RxTest, with only their imports changed.
final class LoginTests: XCTestCase {
    private struct Refused: Error {}

    /// The failures of assertions that a test expects.
    private var failures: [String]?

    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int, expected: Bool
    ) {
        guard failures != nil else {
            return super.recordFailure(
                withDescription: description, inFile: filePath, atLine: lineNumber, expected: expected)
        }
        failures?.append(description)
    }

    func testEventsOfSingles() {
        let received: [Recorded<SingleEvent<Int>>] = [
            Recorded(time: 201, value: .success(1)), Recorded(time: 210, value: .failure(Refused())),
        ]
        XCTAssertEqual(
            received,
            [Recorded(time: 201, value: .success(1)), Recorded(time: 210, value: .failure(Refused()))])
        XCTAssertEqual(received.map(\.value), [.success(1), .failure(Refused())])

        failures = []
        XCTAssertEqual(received, [Recorded(time: 202, value: .success(1))])
        XCTAssertEqual(received.map(\.value), [.success(2), .failure(Refused())])
        XCTAssertEqual(failures?.count, 2)
        XCTAssert(failures?.first?.contains("success(1) @ 201") == true, "\(failures ?? [])")
        failures = nil
    }

    func testRecordedElements() {
        let scheduler = TestScheduler(initialClock: 0)
        let source = scheduler.createHotObservable([.next(210, "a"), .next(220, "b")])
        let result = scheduler.start { source.map { $0.uppercased() } }
        XCTAssertRecordedElements(result.events, ["A", "B"])
        XCTAssertEqual(result.events, [.next(210, "A"), .next(220, "B")])

        failures = []
        XCTAssertRecordedElements(result.events, ["A"])
        XCTAssertRecordedElements([.next(210, "A"), .completed(220)], ["A"])
        XCTAssertEqual(failures?.count, 2)
        failures = nil
    }

    func testSingleThatIsDelayed() {
        let scheduler = TestScheduler(initialClock: 0)
        let result = scheduler.start {
            Single.just(1).delay(.seconds(2), scheduler: scheduler).asObservable()
        }
        XCTAssertEqual(result.events, [.next(202, 1), .completed(203)])
    }
}
