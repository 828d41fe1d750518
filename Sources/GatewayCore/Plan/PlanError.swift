/// All that is wrong with a planned endpoint.
package struct PlanError: Error, Sendable, Equatable, CustomStringConvertible {
    package struct Fault: Sendable, Equatable {
        /// The part, below the names of its groups: `weather.now`. Nil for the endpoint as a whole.
        package let part: String?
        package let message: String
    }

    package let faults: [Fault]

    package var description: String {
        faults.map { fault in fault.part.map { "part \($0): \(fault.message)" } ?? fault.message }
            .joined(separator: "; ")
    }
}
