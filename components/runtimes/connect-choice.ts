'use client'
import { useQuery } from '@tanstack/react-query'
import { parseAsString, useQueryState } from 'nuqs'
import { useState } from 'react'
import { FIRST_PROMPT } from '@/components/paths/config-name.ts'
import { useTRPC } from '@/components/trpc/trpc-provider.tsx'

export interface ConnectFormChoice {
  readonly prompt: string
  /** From the address, so the server may have no template of this name; null: none was chosen. */
  readonly template: string | null
  /** Null: the environment of the page, else the first of the chain. */
  readonly environment: string | null
}

/** Null: none was chosen. */
export function useChosenPrompt() {
  return useQueryState('prompt', parseAsString)
}

/** Prompt and template are in the address. Without a chosen prompt, the wizard continues with the one whose steps Get started shows. */
export function useConnectChoice(): [ConnectFormChoice, (choice: ConnectFormChoice) => void] {
  const trpc = useTRPC()
  const [chosen, setPrompt] = useChosenPrompt()
  const [template, setTemplate] = useQueryState('template', parseAsString)
  const [environment, setEnvironment] = useState<string | null>(null)
  const { data: steps } = useQuery(trpc.overview.steps.queryOptions())
  const { ns, key } = steps?.prompt ?? FIRST_PROMPT
  const choose = (next: ConnectFormChoice): void => {
    void setPrompt(next.prompt)
    void setTemplate(next.template)
    setEnvironment(next.environment)
  }
  return [{ prompt: chosen ?? `${ns}/${key}`, template, environment }, choose]
}
