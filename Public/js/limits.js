/**
 * The time limits of the endpoints in milliseconds: of a call for an optional part (HomeEndpoint.swift), and the default ones of
 * an attempt's first byte, a call and a request.
 */
export const limits = { optional: 3000, firstByte: 5000, call: 10_000, request: 15_000 };

/** The limits that may end a call for a required part; see `Screen`. */
export const requiredLimits = { limit: limits.call, firstByte: limits.firstByte };

/** These limits as `{name, at}`, for the bar of a request that waits. */
export const named = (...names) => names.map((name) => ({ name, at: limits[name] }));
