import SampleUpstreams
import Sluice
import Testing

@Suite("Faults")
struct FaultTests {
    @Test(
        "An invalid fault is refused with an error that quotes it",
        arguments: [
            "", "slow", "delay", "delay:", "delay:-1", "delay:600001", "delay:1.5", "delay:1s", "delay: 1",
            "delay:٣",
            "delay:99999999999999999999", "status:", "status:199", "status:600", "status:abc", "status:20O",
            "flaky", "flaky:0", "flaky:10", "flaky:x",
            "drop:1",
            "None", "none ", "Delay:5",
        ])
    func anInvalidFaultIsRefused(_ text: String) {
        let error = #expect(throws: GatewayError.self) { try Fault(text) }
        let named = text.split(separator: ":", omittingEmptySubsequences: false).last.map(String.init) ?? ""
        #expect(
            error?.description.contains("\"\(named)\"") == true
                || error?.description.contains("\"\(text)\"") == true)
    }

    @Test(
        "A valid fault keeps its text",
        arguments: [
            "delay:0", "delay:2000", "delay:600000", "status:200", "status:503", "status:599", "flaky:1",
            "flaky:9", "drop",
            "garbage", "truncate",
            "trickle", "none",
        ])
    func aFaultIsWrittenAsItIsRead(_ text: String) throws {
        #expect(try Fault(text).description == text)
    }

    @Test("An invalid document is rejected, and no fault is set")
    func aDocumentThatSetsNoFaultIsRefused() {
        let board = FaultBoard()
        let refused = [
            ("", "not JSON"), ("{", "not JSON"), ("[]", "not an object"), ("null", "not an object"),
            ("{}", "\"api\" is missing"),
            (#"{"api":1,"fault":"drop"}"#, "\"api\" is missing or not a string"),
            (#"{"api":"wights","fault":"drop"}"#, "\"wights\""),
            (#"{"api":"weights"}"#, "\"fault\" is missing"),
            (#"{"api":"weights","fault":null}"#, "\"fault\" is missing"),
            (#"{"api":"weights","fault":"dorp"}"#, "\"dorp\""),
            (#"{"api":"weights","fault":"drop","for":"5s"}"#, "\"for\""),
        ]
        for (document, named) in refused {
            let error = #expect(throws: GatewayError.self) {
                try board.set(document: Array(document.utf8)[...])
            }
            #expect(error?.description.contains(named) == true, "\(document): \(String(describing: error))")
        }
        #expect(FaultSwitch.allCases.allSatisfy { board.fault(of: $0) == .none })
    }

    @Test("A switch of another upstream is rejected with an error that lists the valid names")
    func aSwitchOfAnotherUpstreamIsRefused() {
        let board = FaultBoard()
        let document = Array(#"{"api":"weights","fault":"drop"}"#.utf8)[...]
        let error = #expect(throws: GatewayError.self) { try board.set(document: document, of: .weather) }
        #expect(
            error?.description
                == "INVALID_REQUEST: The member \"api\" is \"weights\"; it must be one of weather, now, forecast"
        )
        #expect(FaultSwitch.allCases.allSatisfy { board.fault(of: $0) == .none })
    }

    @Test("A part has its own fault, or the fault of its parent if it has none")
    func aPartHasItsOwnFaultElseThatOfTheWhole() throws {
        let board = FaultBoard()
        try board.set(document: Array(#"{"api":"weights","fault":"drop"}"#.utf8)[...])
        board.set(.delay(milliseconds: 5), for: .recent)
        #expect(board.fault(of: .recent) == .delay(milliseconds: 5))
        #expect(board.fault(of: .total) == .drop)
        #expect(board.fault(of: .day) == .none)
        #expect(board.fault(of: .record) == .none)
        let list =
            #"{"diary":"none","weights":"drop","recent":"delay:5","total":"none","day":"none","record":"none"}"#
        #expect(board.list(of: .diary).description == list)
        board.set(.none, for: .recent)
        #expect(board.fault(of: .recent) == .drop)
    }

    @Test("Setting or removing the fault of a whole replaces the faults of its parts")
    func theWholeTakesItsPartsFaultsAway() throws {
        let board = FaultBoard()
        board.set(.drop, for: .recent)
        board.set(.delay(milliseconds: 5), for: .day)
        board.set(.truncate, for: .now)
        board.set(.garbage, for: .weights)
        #expect(board.fault(of: .recent) == .garbage)
        #expect(board.fault(of: .day) == .delay(milliseconds: 5))
        board.set(.drop, for: .recent)
        board.set(.none, for: .diary)
        for part in [FaultSwitch.diary, .weights, .recent, .total, .day, .record] {
            #expect(board.fault(of: part) == .none)
        }
        #expect(board.fault(of: .now) == .truncate)
    }

    @Test("A fault without a name is set for the whole upstream", arguments: SampleUpstream.allCases)
    func withoutANameItIsTheWholeUpstream(upstream: SampleUpstream) throws {
        let board = FaultBoard()
        try board.set(document: Array(#"{"fault":"status:503"}"#.utf8)[...], of: upstream)
        for place in FaultSwitch.allCases {
            let isIts = board.list(of: upstream)[member: place.rawValue] != nil
            #expect(board.fault(of: place) == (isIts ? .status(503) : .none))
        }
    }
}
