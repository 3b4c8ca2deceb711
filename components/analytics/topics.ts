export const TOPICS = [
  { topic: 'denials', name: 'Denials' },
  { topic: 'feedback', name: 'Feedback' },
  { topic: 'stops', name: 'Stops' },
  { topic: 'plans', name: 'Plans and deadlines' },
] as const

export type Topic = (typeof TOPICS)[number]['topic']

export function parseTopic(text: string): Topic | null {
  return TOPICS.find(({ topic }) => topic === text)?.topic ?? null
}
