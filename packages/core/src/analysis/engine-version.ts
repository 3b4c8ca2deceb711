// The version of core that recomputes decisions, as reports name it; a test compares it with package.json.
export const ENGINE_VERSION = '0.1.0'
