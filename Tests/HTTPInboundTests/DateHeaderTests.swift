import Testing

@testable import HTTPInbound

struct DateHeaderTests {
    @Test("The current date has 29 bytes")
    func current() {
        var date = DateHeader()
        #expect(date.current.count == 29)
    }
}
