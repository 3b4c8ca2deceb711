'use client'
// An invalid document is accepted; the editor reports its problems.
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useRouter } from 'next/navigation'
import type { ConfigName } from '@/components/paths/config-name.ts'
import { configPath } from '@/components/paths/config-path.ts'
import { useTRPC, useTRPCClient } from '@/components/trpc/trpc-provider.tsx'
import type { ListedTemplate } from '@/server/configs/config-templates.ts'
import type { StartMode } from '@/server/configs/templates/template.ts'
import { renamedText } from './copied-text.ts'

export type Start =
  | {
      readonly from: 'template'
      readonly template: ListedTemplate['name']
      readonly mode: StartMode
    }
  | { readonly from: 'running' }
  | {
      readonly from: 'sessions'
      readonly environment: string
      readonly ids: readonly string[]
      readonly mode: StartMode
    }
  | { readonly from: 'copy'; readonly source: ConfigName }
  | { readonly from: 'claude'; readonly text: string }
  | { readonly from: 'json'; readonly text: string }

type TextStart = Exclude<Start, { readonly from: 'template' | 'sessions' }>

/** Loads the config's text: the version live furthest along the chain, else the newest version, else the draft. */
function useStartText() {
  const client = useTRPCClient()
  return async (from: ConfigName): Promise<string> => {
    const { pointers, newestVersion } = await client.configs.get.query(from)
    const number = pointers.at(-1)?.version ?? newestVersion
    if (number !== null) return (await client.configs.version.query({ ...from, number })).source
    const { draft } = await client.drafts.open.query(from)
    if (draft === null) throw new Error(`${from.ns}/${from.key} has neither a version nor a draft.`)
    return draft.text
  }
}

export function useCreateConfig() {
  const trpc = useTRPC()
  const client = useTRPCClient()
  const queries = useQueryClient()
  const router = useRouter()
  const loadStartText = useStartText()
  const findText = async (to: ConfigName, start: TextStart): Promise<string | undefined> => {
    switch (start.from) {
      case 'running':
        return (await client.configs.reported.query(to)).text
      case 'copy':
        return renamedText(await loadStartText(start.source), to)
      case 'claude':
        return renamedText(start.text, to)
      case 'json':
        return start.text.trim() === '' ? undefined : start.text
      default:
        return start satisfies never
    }
  }
  return useMutation({
    mutationFn: async ({ to, start }: { readonly to: ConfigName; readonly start: Start }) => {
      const { ns, key } = to
      if (start.from === 'template') {
        const { template, mode } = start
        return await client.configs.create.mutate({ ns, key, template, mode })
      }
      if (start.from === 'sessions') {
        const { environment, mode } = start
        const ids = [...start.ids]
        await client.suggestions.take.mutate({ ns, key, environment, ids, mode })
        return
      }
      return await client.configs.create.mutate({ ns, key, text: await findText(to, start) })
    },
    onSuccess: async (_made, { to }) => {
      await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
      router.push(`${configPath(to.ns, to.key)}/edit`)
    },
  })
}
