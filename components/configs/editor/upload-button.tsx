'use client'
import { Upload } from 'lucide-react'
import { useRef } from 'react'
import { Button } from '@/components/ui/button.tsx'
import { toast } from '@/components/ui/toast.tsx'
import { toEditorText } from './use-draft.ts'

const MOST_UPLOADED_BYTES = 16 * 1024 * 1024

export function UploadButton({ onText }: { readonly onText: (text: string) => void }) {
  const input = useRef<HTMLInputElement>(null)
  const read = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return
    if (file.size > MOST_UPLOADED_BYTES) {
      const size = Math.ceil(file.size / 1024 / 1024)
      toast.error(`${file.name} has ${size} MiB. A config has at most 1 MiB, so it was not opened.`)
      return
    }
    onText(toEditorText(await file.text()))
  }
  return (
    <>
      <input
        ref={input}
        type="file"
        accept="application/json,.json"
        aria-label="Config file"
        className="sr-only"
        tabIndex={-1}
        onChange={({ target }) => {
          void read(target.files?.[0])
          target.value = ''
        }}
      />
      <Button title="Replace the text with a file" onClick={() => input.current?.click()}>
        <Upload size={14} aria-hidden /> <span className="max-xl:sr-only">Open file</span>
      </Button>
    </>
  )
}
