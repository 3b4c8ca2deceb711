// Signalbox for LangChain (`createAgent` of langchain 1).
export { LANGCHAIN_CAPABILITIES, LANGCHAIN_PROFILE } from './capabilities.ts'
export { type GuardOptions, guardMiddleware } from './guard-middleware.ts'
