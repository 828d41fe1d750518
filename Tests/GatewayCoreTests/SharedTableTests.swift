import NetworkingTesting
import Rx
import Testing

@testable import GatewayCore

@Suite("The table of shared values")
struct SharedTableTests {
    private typealias Table = SharedTable<String, Int>

    private let loop = VirtualTime()

    private func makeTable() -> Table { Table(lifetime: .seconds(60), stale: .seconds(60), limit: 1) }

    /// Returns the flight that a caller begins; nil if none begins.
    private func begin(_ table: inout Table) -> SharedFlight<Int>? {
        guard case .newFlight(let flight) = table.requested("rates", at: loop.now, on: loop) else {
            return nil
        }
        return flight
    }

    @Test("A load has one end: overdue after its value was kept it fails for nobody, and the reverse")
    func oneEnd() throws {
        var table = makeTable()
        let first = begin(&table)
        let loaded = try #require(first)
        #expect(table.loaded(7, "rates", by: loaded, at: loop.now) != nil)
        #expect(table.failed("rates", loaded, at: loop.now) == .wasOver)
        #expect(table.forget("rates") != nil)

        let second = begin(&table)
        let failed = try #require(second)
        #expect(table.failed("rates", failed, at: loop.now) == .waited)
        #expect(table.loaded(7, "rates", by: failed, at: loop.now) == nil)
        #expect(table.count == 0)
    }

    @Test("Those who wait for a load get its failure, although its value was forgotten")
    func forgottenFailure() throws {
        var table = makeTable()
        let begun = begin(&table)
        let flight = try #require(begun)
        #expect(table.forget("rates") == nil)
        #expect(table.failed("rates", flight, at: loop.now) == .waited)
    }

    @Test("Forgotten values do not lift the limit of loads in progress")
    func forgottenLoads() throws {
        var table = makeTable()
        var flights: [SharedFlight<Int>] = []
        while flights.count < 100, let flight = begin(&table) {
            flights.append(flight)
            #expect(table.forget("rates") == nil)
        }
        #expect(flights.count == 1 + Table.mostForgotten)
        let first = try #require(flights.first)
        #expect(table.loaded(7, "rates", by: first, at: loop.now)?.isEmpty == true)
        #expect(table.count == 0)
        let next = begin(&table)
        #expect(next != nil)
    }
}
