;;; run.el --- A team in a real Emacs, by Eglot alone and what docs/editors/emacs.md says -*- lexical-binding: t -*-

;; emacs -Q --batch -l tests/emacs/run.el; `swarm-ls' is on PATH, SWARM_SCRIPT_SERVE names the scripted model.
;; Batch mode has no idle time, in which Eglot reports changes, so that waiting reports them.

(require 'package)
;; Where Debian has its packages.
(add-to-list 'package-directory-list "/usr/share/emacs/site-lisp/elpa")
(package-initialize)
(require 'eglot)
(require 'json)

;; Else Emacs holds back what a process says for longer than one wait lasts, and may never read it.
(setq process-adaptive-read-buffering nil)

(defconst here (file-name-directory (or load-file-name buffer-file-name)))
(defconst patience 20 "The longest wait for anything, in seconds.")

(defun wait-for (what condition)
  "Wait until CONDITION holds; its value. WHAT is for the report of a failure."
  (let ((deadline (+ (float-time) patience)) value)
    (while (and (not (setq value (funcall condition))) (< (float-time) deadline))
      (accept-process-output nil 0.05)
      (dolist (buffer (buffer-list))
        (with-current-buffer buffer
          (when (bound-and-true-p eglot--managed-mode)
            (eglot--signal-textDocument/didChange)))))
    (or value (error "Never came: %s; the buffer is:\n%s" what (buffer-string)))))

(defun holds (words)
  (wait-for words (lambda () (string-match-p (regexp-quote words) (buffer-string)))))

(defun say (ok) (princ (format "ok: %s\n" ok)))

(defun learn-from-docs ()
  "Run the code that the guide has people paste."
  (with-temp-buffer
    (insert-file-contents (expand-file-name "../../docs/editors/emacs.md" here))
    (search-forward "```elisp\n")
    (let ((start (point)))
      (search-forward "\n```")
      (eval-region start (match-beginning 0)))))

(defun play (folder)
  "Start the scripted model, and point the environment at it; its process."
  (let* ((edit `((tool . "Edit") (input . ((path . "greeting.txt") (old_string . "helo") (new_string . "hello")))))
         (sign `((tool . "Edit") (input . ((path . "greeting.txt") (old_string . "yours") (new_string . "Yours")))))
         (read `((tool . "Read") (input . ((path . "greeting.txt")))))
         (steps (vector `((reply . [((call . ,read))]))
                        `((reply . [((call . ,edit))]))
                        `((reply . [((say . "It is mended."))]))
                        `((reply . [((call . ,sign))]))
                        `((expect . "not saved") (reply . [((say . "It is signed."))]))
                        `((reply . [((say . "I begin.")) ((wait . "never"))]))
                        `((reply . [((say . "I hear you."))]))))
         (script (expand-file-name "script.json" folder))
         (output (generate-new-buffer "model"))
         process)
    (with-temp-file script
      (insert (json-encode `((agents . ((team-lead . ,steps)))))))
    (setq process (make-process :name "model" :buffer output :noquery t
                                :command (list (getenv "SWARM_SCRIPT_SERVE") script)))
    (with-current-buffer output
      (holds "http://")
      (goto-char (point-min))
      (re-search-forward "http://[^ \n]+")
      (setenv "ANTHROPIC_BASE_URL" (match-string 0)))
    (setenv "ANTHROPIC_API_KEY" "only-for-tests")
    process))

(defun ends-well (process)
  (wait-for "the end of a process" (lambda () (not (process-live-p process))))
  (unless (equal (process-exit-status process) 0)
    (error "%s ended with %s" (process-name process) (process-exit-status process))))

(defun idle-p ()
  (let ((state (jsonrpc-request (eglot-current-server) :swarm/state nil)))
    (cl-every (lambda (member) (equal (plist-get member :state) "idle")) (plist-get state :members))))

(defun run (folder)
  (let* ((file (expand-file-name "work space/greeting.txt" folder)) asked model)
    (make-directory (file-name-directory file) t)
    (with-temp-file file (insert "dear all,\n𝄞 helo 世界\nyours\n"))
    (call-process "git" nil nil nil "-C" (file-name-directory file) "init" "-q")
    (setenv "SWARM_HOME" (expand-file-name "home" folder))
    (setq model (play folder))
    (learn-from-docs)
    (find-file file)
    (setq eglot-sync-connect patience)
    (apply #'eglot (eglot--guess-contact))

    ;; The question is left open in the minibuffer, and allowed by a code action on its line.
    (cl-letf (((symbol-function 'completing-read)
               (lambda (prompt &rest _) (setq asked prompt) (throw 'left nil))))
      (swarm "Mend the greeting.")
      ;; As C-g comes back to the command loop.
      (catch 'left (wait-for "the question in the minibuffer" (lambda () asked))))
    (unless (string-match-p "greeting.txt" asked) (error "Asked: %s" asked))
    (say "a question comes to the minibuffer, and leaving it decides nothing")
    (goto-char (point-min))
    (forward-line 1)
    (let* ((actions (wait-for "code actions" (lambda () (eglot-code-actions (point) (point)))))
           (allow (cl-find-if (lambda (action) (string-prefix-p "team-lead: allow: " (plist-get action :title)))
                              actions))
           (command (plist-get allow :command)))
      (eglot-execute-command (eglot-current-server) (intern (plist-get command :command))
                             (plist-get command :arguments)))
    (holds "𝄞 hello 世界")
    (unless (buffer-modified-p) (error "The buffer is not modified"))
    (say "a code action allows the edit, and it is made in the buffer")
    (wait-for "the end of the turn" #'idle-p)
    (save-buffer)

    (cl-letf (((symbol-function 'completing-read)
               (lambda (_prompt choices &rest _)
                 (or (cl-find-if (lambda (choice) (string-suffix-p ": allow" choice)) choices)
                     (error "Choices: %S" choices)))))
      (swarm "Sign it.")
      (let ((case-fold-search nil)) (holds "Yours")))
    (wait-for "the end of the turn" #'idle-p)
    (unless (buffer-modified-p) (error "The buffer is not modified"))
    (with-temp-buffer
      (insert-file-contents file)
      (let ((case-fold-search nil)) (holds "yours")))
    (say "a choice in the minibuffer allows an edit, which is not saved")
    (save-buffer)

    (swarm "Take your time.")
    (wait-for "the turn" (lambda () (not (idle-p))))
    (swarm-interrupt)
    (wait-for "the end of the turn" #'idle-p)
    (say "a turn is interrupted")

    (swarm-conversation)
    (holds "It is mended.")
    (holds "write below, then send")
    (goto-char (point-max))
    (insert "Are you there?\n")
    (swarm-send)
    (holds "I hear you.")
    (goto-char (point-min))
    (search-forward "write below, then send")
    (when (search-forward "Are you there?" nil t) (error "What was sent is still a draft"))
    (say "what is written in the conversation is sent, and the answer comes there")
    (set-buffer-modified-p nil)

    ;; What `eglot-shutdown' tells the server: it would not let it end by itself.
    (let ((server (eglot-current-server)))
      (setf (eglot--shutdown-requested server) t)
      (jsonrpc-request server :shutdown nil)
      (jsonrpc-notify server :exit nil)
      (ends-well (jsonrpc--process server)))
    (say "the server ends when it is told to")
    (process-send-eof model)
    (ends-well model)
    (say "a real provider would have taken every request")))

(let ((folder (make-temp-file "swarm in emacs 世界 " t)))
  (unwind-protect (run folder)
    (delete-directory folder t)))
