"""Words, names and sentences of several fields, drawn so that cells and paragraphs read like those of real pages."""

from __future__ import annotations

import random

NOUNS = ["model", "method", "baseline", "network", "layer", "sample", "patient", "group", "treatment", "control", "region", "state", "country", "sector", "price", "cost", "rate", "index", "score", "value", "error", "loss", "accuracy", "recall", "precision", "energy", "mass", "velocity", "temperature", "pressure", "density", "field", "wavelength", "frequency", "spectrum", "signal", "noise", "filter", "source", "target", "domain", "corpus", "sentence", "token", "word", "language", "document", "query", "answer", "question", "image", "frame", "video", "scene", "object", "class", "label", "feature", "vector", "matrix", "kernel", "graph", "node", "edge", "path", "depth", "width", "height", "length", "weight", "age", "sex", "income", "education", "household", "firm", "market", "wage", "labour", "trade", "export", "import", "tax", "budget", "revenue", "profit", "asset", "debt", "interest", "bond", "stock", "yield", "risk", "return", "volatility", "variance", "mean", "median", "deviation", "range", "interval", "test", "trial", "study", "cohort", "disease", "cancer", "infection", "dose", "drug", "protein", "gene", "cell", "tissue", "membrane", "sequence", "species", "plant", "soil", "water", "river", "basin", "forest", "crop", "season", "station", "sensor", "device", "battery", "circuit", "voltage", "current", "power", "load", "parameter", "variable", "coefficient", "intercept", "residual", "constraint", "objective", "solver", "iteration", "step", "epoch", "batch", "size", "memory", "time", "latency", "throughput", "bandwidth", "channel", "packet", "user", "item", "rating", "session", "click", "task", "benchmark", "dataset", "split", "fold", "school", "teacher", "student", "course", "exam", "grade", "survey", "respondent", "item", "scale", "factor", "component", "cluster", "topic", "theme", "category", "year", "month", "quarter", "week", "day", "period", "phase", "stage", "level", "type", "order", "service", "invoice", "delivery", "account", "payment", "customer"]
ADJECTIVES = ["deep", "local", "global", "linear", "nonlinear", "sparse", "dense", "random", "fixed", "mean", "total", "average", "maximum", "minimum", "relative", "absolute", "annual", "monthly", "daily", "high", "low", "medium", "early", "late", "new", "old", "large", "small", "long", "short", "strong", "weak", "positive", "negative", "male", "female", "urban", "rural", "public", "private", "foreign", "domestic", "primary", "secondary", "upper", "lower", "inner", "outer", "left", "right", "single", "double", "multiple", "joint", "conditional", "marginal", "adaptive", "static", "dynamic", "supervised", "unsupervised", "standard", "robust", "weighted", "normal", "severe", "mild", "chronic", "acute", "clinical", "social", "economic", "financial", "thermal", "optical", "magnetic", "electric", "chemical", "basic", "full", "partial", "open", "closed", "internal", "external", "direct", "indirect", "current", "previous", "final", "initial", "gross", "net", "real", "nominal"]
VERBS = ["shows", "improves", "reduces", "increases", "yields", "compares", "reports", "measures", "predicts", "estimates", "indicates", "describes", "controls", "affects", "explains", "requires", "uses", "contains", "follows", "provides", "supports", "represents", "achieves", "outperforms"]
LINKS = ["of", "in", "for", "with", "on", "by", "from", "under", "over", "between", "across", "without", "per"]
NAMES = ["BERT", "RoBERTa", "ResNet", "LSTM", "GRU", "CNN", "Transformer", "GPT", "T5", "BART", "VGG", "DenseNet", "XLNet", "SVM", "kNN", "LDA", "PCA", "GAN", "VAE", "DQN", "PPO", "SAC", "A3C", "UNet", "YOLO", "DETR", "CLIP", "ViT", "Swin", "MoCo", "SimCLR", "BYOL", "DINO", "MAE", "LoRA", "Adapter", "Prefix", "Ours", "Baseline", "Random", "Oracle", "Human", "Majority", "TF-IDF", "BM25", "DPR", "ColBERT", "GloVe", "ELMo", "fastText", "word2vec", "NBSVM", "RandForest", "XGBoost", "LightGBM", "AdaBoost", "Ridge", "Lasso", "OLS", "IV", "GMM", "2SLS", "FE", "RE", "DID", "RDD", "Euler", "RK4", "Newton", "BFGS", "Adam", "SGD", "RMSProp", "Falcon", "Llama-2", "Mistral", "Gemma", "Qwen", "PaLM", "OPT"]
SUFFIXES = [
    "-base",
    "-large",
    "-small",
    "-7B",
    "-13B",
    "-50",
    "-101",
    "++",
    "-v2",
    "+CRF",
    " w/o attn.",
    " (ours)",
    "*",
    "-L",
    "-XL",
    " + aug.",
]
DATASETS = ["MNIST", "CIFAR-10", "CIFAR-100", "ImageNet", "COCO", "SQuAD", "GLUE", "SST-2", "MRPC", "QNLI", "RTE", "CoLA", "STS-B", "MNLI", "WMT14", "IWSLT", "XSum", "CNN/DM", "TriviaQA", "HotpotQA", "MS-MARCO", "Cora", "Citeseer", "PubMed", "Reddit", "PPI", "ogbn-arxiv", "KITTI", "NYUv2", "Cityscapes", "ADE20K", "LibriSpeech", "TIMIT", "VoxCeleb", "MovieLens", "Yelp", "Amazon", "Netflix", "Hopper", "Walker2d", "Ant", "HalfCheetah", "Pong", "Breakout", "Seaquest", "Qbert", "ARC", "GSM8K"]
METRICS = ["Acc.", "Prec.", "Rec.", "F1", "AUC", "mAP", "AP50", "AP75", "IoU", "mIoU", "BLEU", "ROUGE-1", "ROUGE-L", "METEOR", "CIDEr", "PSNR", "SSIM", "LPIPS", "FID", "IS", "MAE", "MSE", "RMSE", "R2", "MRR", "Hits@1", "Hits@10", "NDCG@5", "nDCG", "Top-1", "Top-5", "WER", "CER", "PPL", "EM", "Params", "FLOPs", "Time", "Mem.", "n", "N", "p-value", "OR", "RR", "HR", "SD", "SE", "Mean", "Median", "Min", "Max", "Q1", "Q3", "IQR", "df", "t", "F", "z", "VIF", "AIC", "BIC", "Obs.", "Total", "Count", "Share", "Cost", "Price", "Size", "Rank", "Score", "Kappa", "ECE", "NLL"]
UNITS = [
    "%",
    "ms",
    "s",
    "kg",
    "mm",
    "km/h",
    "GeV",
    "MeV",
    "nm",
    "K",
    "°C",
    "kW",
    "MB",
    "M",
    "K km s−1",
    "mg/L",
    "μm",
    "dB",
    "h",
    "USD",
    "Mpc",
    "€",
    "$m",
    "eV",
    "cm−2",
    "Hz",
    "GHz",
    "pb",
]
PLACES = ["France", "Germany", "Italy", "Spain", "Poland", "Greece", "Portugal", "Austria", "Belgium", "Denmark", "Sweden", "Norway", "Finland", "Ireland", "Japan", "China", "India", "Brazil", "Mexico", "Canada", "Australia", "Chile", "Kenya", "Egypt", "Turkey", "Russia", "Ukraine", "Bavaria", "Ontario", "Texas", "Ohio", "Kansas", "London", "Paris", "Berlin", "Madrid", "Rome", "Vienna", "Oslo", "Tokyo", "Lima", "Boston", "Leeds", "Lyon", "Graz", "Porto", "Basel", "Ghent", "Turin"]
LAST = ["Smith", "Jones", "Chen", "Wang", "Zhang", "Li", "Liu", "Kim", "Park", "Müller", "Schmidt", "Garcia", "Rossi", "Silva", "Kumar", "Singh", "Nguyen", "Tanaka", "Sato", "Brown", "Davis", "Wilson", "Moreau", "Dubois", "Novak", "Kowalski", "Ivanov", "Andersen", "Hansen", "Nilsson", "Peeters", "Costa", "Ferrari", "Weber", "Fischer"]
FIRST = ["Anna", "Ben", "Clara", "David", "Elena", "Frank", "Greta", "Hans", "Irene", "Jonas", "Karin", "Luis", "Maria", "Nora", "Oscar", "Paul", "Rosa", "Simon", "Tara", "Viktor"]
MONTHS = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"]
LATIN = ["lorem", "ipsum", "dolor", "sit", "amet", "consectetur", "adipiscing", "elit", "sed", "do", "eiusmod", "tempor", "incididunt", "ut", "labore", "et", "dolore", "magna", "aliqua", "enim", "ad", "minim", "veniam", "quis", "nostrud", "exercitation", "ullamco", "laboris", "nisi", "aliquip", "ex", "ea", "commodo", "consequat"]
GERMAN = ["Angebot", "Rechnung", "Menge", "Preis", "Lieferung", "Betrag", "Bestellung", "Kunde", "Artikel", "Anzahl", "Straße", "Größe", "Zeitraum", "Anteil", "Bevölkerung", "Einkommen", "Verbrauch", "Haushalt", "Jahr", "Monat", "und", "der", "die", "das", "mit", "von", "für", "bei", "nach", "über", "Umsatz", "Wert", "Summe"]
FRENCH = ["montant", "quantité", "facture", "livraison", "commande", "client", "adresse", "numéro", "prix", "année", "mois", "taux", "revenu", "ménage", "région", "département", "population", "emploi", "de", "la", "le", "les", "du", "des", "avec", "pour", "par", "sur", "dépense", "moyenne", "total", "désignation", "référence"]
SPANISH = ["cantidad", "precio", "importe", "factura", "pedido", "cliente", "fecha", "año", "mes", "tasa", "población", "empleo", "región", "provincia", "total", "de", "la", "el", "los", "con", "para", "por", "sobre", "gasto", "media", "hogar", "ingreso", "servicio", "descripción", "unidad", "número"]
LANGUAGES = (NOUNS, GERMAN, FRENCH, SPANISH, LATIN)
GREEK = "αβγδεθλμπρσφωΔΣΩ"


class Writer:
    """Draws words; `language` None is English, where grammar is imitated."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.foreign = rng.choice(LANGUAGES[1:]) if rng.random() < 0.15 else None

    def noun(self) -> str:
        """A noun, sometimes with its adjective or in the plural."""
        rng = self.rng
        word = rng.choice(self.foreign or NOUNS)
        if not self.foreign and rng.random() < 0.3:
            word += "s"
        return word

    def phrase(self, least: int = 1, most: int = 4) -> str:
        """A few words as a name of a thing."""
        rng, count = self.rng, self.rng.randint(least, most)
        words: list[str] = []
        while len(words) < count:
            left = count - len(words)
            if left >= 3 and words and rng.random() < 0.5:
                words += [rng.choice(LINKS), self.noun()]
            elif left >= 2 and rng.random() < 0.6:
                words += [rng.choice(ADJECTIVES), self.noun()]
            else:
                words.append(self.noun())
        return " ".join(words[:count])

    def title(self, least: int = 1, most: int = 4) -> str:
        """A phrase with a capital, or every word with one."""
        text = self.phrase(least, most)
        return text.title() if self.rng.random() < 0.35 else text[:1].upper() + text[1:]

    def sentence(self) -> str:
        """A sentence with commas, figures, names and citations strewn in."""
        rng = self.rng
        if self.foreign:
            words = [rng.choice(self.foreign) for _ in range(rng.randint(5, 22))]
            return " ".join(words).capitalize() + "."
        text = f"{rng.choice(('The', 'Our', 'This', 'Each', 'A', 'In contrast, the', 'However, the', 'As shown, the'))} {self.phrase(1, 3)} "
        text += f"{rng.choice(VERBS)} {rng.choice(('the', 'a', 'its', 'more than one'))} {self.phrase(1, 4)}"
        for _ in range(rng.choice((0, 0, 1, 1, 2, 3))):
            text += f"{rng.choice((',', '', ' and', ', which', ' that'))} {rng.choice(VERBS)} {rng.choice(('the', 'an', 'any', 'every'))} {self.phrase(1, 4)}"
        if rng.random() < 0.3:
            text += f" {rng.choice(LINKS)} {rng.choice(NAMES + PLACES)}"
        if rng.random() < 0.2:
            text += f" ({rng.choice((self.citation(), f'{rng.random():.2f}', f'{rng.randint(2, 900)} {rng.choice(UNITS)}', 'see Table ' + str(rng.randint(1, 9))))})"
        return text + rng.choice("....;:?").replace(";", ".").replace(":", ".")

    def paragraph(self, characters: int) -> str:
        """Sentences of about `characters` in all."""
        text = self.sentence()
        while len(text) < characters:
            text += " " + self.sentence()
        return text

    def citation(self) -> str:
        """A citation in one of three manners."""
        rng = self.rng
        return rng.choice(
            (
                f"[{rng.randint(1, 99)}]",
                f"[{rng.randint(1, 30)}, {rng.randint(31, 99)}]",
                f"{rng.choice(LAST)} et al., {rng.randint(1990, 2026)}",
                f"{rng.choice(LAST)} et al. ({rng.randint(1990, 2026)})",
                f"({rng.choice(LAST)} and {rng.choice(LAST)}, {rng.randint(1990, 2026)})",
            )
        )

    def person(self) -> str:
        """A name of somebody."""
        rng = self.rng
        return rng.choice(
            (
                f"{rng.choice(FIRST)} {rng.choice(LAST)}",
                f"{rng.choice(LAST)}, {rng.choice(FIRST)[0]}.",
                f"{rng.choice(FIRST)[0]}. {rng.choice(LAST)}",
            )
        )

    def system(self) -> str:
        """A name of a method, as results have it."""
        rng = self.rng
        text = rng.choice(NAMES)
        if rng.random() < 0.35:
            text += rng.choice(SUFFIXES)
        elif rng.random() < 0.15:
            text += f" {rng.choice('+&')} {rng.choice(NAMES)}"
        if rng.random() < 0.15:
            text += " " + self.citation()
        return text

    def date(self) -> str:
        """A date in one of many manners."""
        rng, day, month, year = self.rng, self.rng.randint(1, 28), self.rng.randint(1, 12), self.rng.randint(1985, 2026)
        return rng.choice(
            (
                f"{day:02}.{month:02}.{year}",
                f"{year}-{month:02}-{day:02}",
                f"{day}/{month}/{year % 100:02}",
                f"{day} {MONTHS[month - 1]} {year}",
                f"{MONTHS[month - 1][:3]} {day}, {year}",
                f"{MONTHS[month - 1][:3]}-{year % 100:02}",
            )
        )

    def code(self) -> str:
        """An article number, a key, an identifier."""
        rng = self.rng
        return rng.choice(
            (
                f"{rng.choice('ABCDEFX')}{rng.randint(1, 9999):04}",
                f"{rng.randint(1000, 999999)}",
                f"{rng.choice('ABCD')}{rng.choice('KLMN')}-{rng.randint(10, 999)}/{rng.randint(1, 9)}",
                f"{rng.choice(NOUNS)}_{rng.choice(NOUNS)}",
                f"NGC {rng.randint(10, 7999)}",
                f"{rng.randint(1, 9)}.{rng.randint(1, 19)}",
                f"rs{rng.randint(1000, 99999)}",
            )
        )
