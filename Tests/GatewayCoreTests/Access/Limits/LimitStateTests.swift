import Resilience
import Testing

@testable import GatewayCore

@Suite("Limits over reloads")
struct LimitStateTests {
    private func isAllowed(_ limit: KeptLimit) -> Bool {
        EndpointLimits([limit], stores: [:]).take(LimitWorld.request()).step.isPassed
    }

    @Test("A limit with equal settings keeps its counts, and a changed one begins again")
    func counts() {
        let state = LimitState()
        let settings = LimitWorld.limit(.client, burst: 1)
        let first = state.kept("some", settings)
        #expect(isAllowed(first))
        #expect(state.kept("some", LimitWorld.limit(.client, burst: 1)) === first)
        #expect(!isAllowed(state.kept("some", settings)))
        #expect(isAllowed(state.kept("other", settings)))
        #expect(isAllowed(state.kept("some", LimitWorld.limit(.client, burst: 2))))
        // The running generation goes on with the old settings, also if the new ones are not used.
        #expect(!isAllowed(state.kept("some", settings)))
    }

    @Test("Limits that no generation uses are forgotten")
    func forgotten() {
        let state = LimitState()
        let settings = LimitWorld.limit(.client, burst: 1)
        let used = state.kept("used", settings)
        weak let unused = state.kept("unused", settings)
        #expect(unused != nil)
        state.keep(only: [used])
        #expect(unused == nil)
        #expect(state.kept("used", settings) === used)
    }
}
