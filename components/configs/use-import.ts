'use client'
import type { ImportAnswer } from '@signalbox/wire'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { withPrefix } from '@/components/paths/prefix.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

const MIB = 1024 * 1024
/** Largest file that the server accepts (server/http/transfer.ts). */
const MOST_BYTES = 64 * MIB

export interface Asked {
  readonly file: File
  readonly dryRun: boolean
}

async function parseFile(file: File): Promise<unknown> {
  if (file.size > MOST_BYTES) {
    throw new Error(
      `${file.name} has ${Math.ceil(file.size / MIB)} MiB; an import has at most 64 MiB.`,
    )
  }
  try {
    return JSON.parse(await file.text())
  } catch {
    throw new Error(`${file.name} is not JSON. Choose a file from Export or "signalbox export".`)
  }
}

function describeImportRefusal(answer: unknown): string {
  if (typeof answer !== 'object' || answer === null) return 'The server did not answer.'
  const detail = 'detail' in answer ? String(answer.detail) : 'The import was refused.'
  const [first] = 'errors' in answer && Array.isArray(answer.errors) ? answer.errors : []
  return first === undefined ? detail : `${detail} ${first.pointer}: ${first.detail}`
}

export function useImport() {
  const trpc = useTRPC()
  const queries = useQueryClient()
  return useMutation({
    mutationFn: async ({ file, dryRun }: Asked): Promise<ImportAnswer> => {
      const body = JSON.stringify({ dry_run: dryRun, document: await parseFile(file) })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(withPrefix('/api/import/configs'), {
        method: 'POST',
        headers,
        body,
      })
      const answer: unknown = await response.json().catch(() => null)
      if (!response.ok) throw new Error(describeImportRefusal(answer))
      const wire = await import('@signalbox/wire')
      return wire.ImportAnswer.parse(answer)
    },
    onSuccess: async ({ applied }) => {
      if (applied) await queries.invalidateQueries({ queryKey: trpc.configs.pathKey() })
    },
  })
}
