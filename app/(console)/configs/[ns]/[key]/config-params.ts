import { promptFromPath } from '@signalbox/wire'
import { fetchSubject, trpcServer } from '@/app/prefetch.ts'

export interface ConfigParams {
  readonly params: Promise<{ readonly ns: string; readonly key: string }>
}

export async function readPrompt({ params }: ConfigParams) {
  const { ns, key } = await params
  return promptFromPath(decodeURIComponent(ns), decodeURIComponent(key))
}

export async function prefetchConfig(props: ConfigParams) {
  const prompt = await readPrompt(props)
  await fetchSubject(trpcServer.configs.get.queryOptions(prompt))
  return prompt
}
