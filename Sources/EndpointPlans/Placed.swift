/// An optional value with the place where the file has it, which is the projected value:
/// `call.$attempts?.place`.
///
/// A value that Swift sets has the place `ConfigPlace.code`.
@propertyWrapper
package struct Placed<Value: Sendable>: Sendable {
    package var projectedValue: Located<Value>?

    package var wrappedValue: Value? {
        get { projectedValue?.value }
        set { projectedValue = newValue.map { Located($0) } }
    }

    package init() {}

    package init(wrappedValue: Value?) {
        self.wrappedValue = wrappedValue
    }
}
