// Version of core that recomputes decisions, as named in reports. A test compares it with package.json.
export const ENGINE_VERSION = '0.1.0'
