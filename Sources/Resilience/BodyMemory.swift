/// How the memory of bodies is counted.
public enum BodyMemory {
    /// Bodies of this size are charged one by one. Smaller ones are added up for each request and charged
    /// once they have this size together, so that a small request never touches the counters that all loops
    /// share.
    public static var counted: Int { 16 * 1024 }
}
