// Names of the stories. Components use them too, so nothing of the server is imported.

/** Name of the API key of the demo agent, which the installation creates. */
export const DEMO_KEY_NAME = 'demo agent'

/** Keys of their configs, in the order of the card. */
export const STORIES = ['release-notes', 'coding-agent', 'support-triage'] as const

export type StoryName = (typeof STORIES)[number]
