public import Networking

extension CalendarDate: ParameterConvertible {
    /// `2026-11-20`.
    public var parameterValue: ParameterValue { .text(description) }
}
